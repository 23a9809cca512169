"""What mails to payers say, in the languages of their pages."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_EN: Final = {
    "subject": "Invoice {number} from {merchant}",
    "greeting": "Hello,",
    "named": "Hello {name},",
    "issued": "{merchant} has sent you invoice {number} of {amount}, due on {date}.",
    "upcoming": "Invoice {number} from {merchant} is due on {date}. Still to pay: {amount}.",
    "overdue": "Invoice {number} from {merchant} was due on {date}. Still to pay: {amount}.",
    "link": "See and pay it here:\n{url}",
    "automatic": "This mail was sent automatically. If you have paid already, you need do nothing.",
}
_DE: Final = {
    "subject": "Rechnung {number} von {merchant}",
    "greeting": "Guten Tag,",
    "named": "Guten Tag {name},",
    "issued": "{merchant} stellt Ihnen die Rechnung {number} über {amount}, fällig am {date}.",
    "upcoming": "Die Rechnung {number} von {merchant} ist am {date} fällig. Noch offen: {amount}.",
    "overdue": "Die Rechnung {number} von {merchant} war am {date} fällig. Noch offen: {amount}.",
    "link": "Hier ansehen und bezahlen:\n{url}",
    "automatic": "Diese Nachricht kam von selbst. Haben Sie schon bezahlt, müssen Sie nichts tun.",
}
_FR: Final = {
    "subject": "Facture {number} de {merchant}",
    "greeting": "Bonjour,",
    "named": "Bonjour {name},",
    "issued": "{merchant} vous a adressé la facture {number} de {amount}, à payer le {date}.",
    "upcoming": "La facture {number} de {merchant} est à payer le {date}. Reste dû : {amount}.",
    "overdue": "La facture {number} de {merchant} était à payer le {date}. Reste dû : {amount}.",
    "link": "La voir et la payer ici :\n{url}",
    "automatic": "Ce message est automatique. Si vous avez déjà payé, vous n'avez rien à faire.",
}
_ES: Final = {
    "subject": "Factura {number} de {merchant}",
    "greeting": "Hola:",
    "named": "Hola, {name}:",
    "issued": "{merchant} le ha enviado la factura {number} de {amount}, que vence el {date}.",
    "upcoming": "La factura {number} de {merchant} vence el {date}. Queda por pagar: {amount}.",
    "overdue": "La factura {number} de {merchant} venció el {date}. Queda por pagar: {amount}.",
    "link": "Véala y páguela aquí:\n{url}",
    "automatic": "Este mensaje es automático. Si ya ha pagado, no tiene que hacer nada.",
}
_PT: Final = {
    "subject": "Fatura {number} de {merchant}",
    "greeting": "Olá,",
    "named": "Olá, {name},",
    "issued": "{merchant} enviou-lhe a fatura {number} de {amount}, com vencimento em {date}.",
    "upcoming": "A fatura {number} de {merchant} vence em {date}. Falta pagar: {amount}.",
    "overdue": "A fatura {number} de {merchant} venceu em {date}. Falta pagar: {amount}.",
    "link": "Veja e pague aqui:\n{url}",
    "automatic": "Esta mensagem é automática. Se já pagou, não precisa fazer nada.",
}
_AR: Final = {
    "subject": "فاتورة {number} من {merchant}",
    "greeting": "مرحبًا،",
    "named": "مرحبًا {name}،",
    "issued": "أرسل إليك {merchant} الفاتورة {number} بمبلغ {amount}، وتستحق في {date}.",
    "upcoming": "تستحق الفاتورة {number} من {merchant} في {date}. المتبقي: {amount}.",
    "overdue": "كانت الفاتورة {number} من {merchant} مستحقة في {date}. المتبقي: {amount}.",
    "link": "اعرضها وادفعها هنا:\n{url}",
    "automatic": "أُرسلت هذه الرسالة تلقائيًا. إن كنت قد دفعت فلا يلزمك فعل شيء.",
}
TEXTS: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {"en": _EN, "de": _DE, "fr": _FR, "es": _ES, "pt": _PT, "ar": _AR}
)
