"""The settings of the mail server that reminders of invoices go through."""

from typing import Self

from pydantic import Field, SecretStr, model_validator
from pydantic_settings import BaseSettings

from crossway.adapters.mail.smtp import SmtpServer
from crossway.domain.errors import InvalidInput


class MailSettings(BaseSettings):
    """The mail server and the sender's address; without a server no mails are sent."""

    smtp_url: SecretStr | None = Field(
        default=None,
        description="The mail server, as smtp://name:password@mail.example:587 (STARTTLS) or "
        "smtps://…:465; without one reminders of invoices go to webhooks alone.",
    )
    mail_from: str = Field(
        default="", description="The sender of mails, such as Shop <bills@shop.example>."
    )

    @model_validator(mode="after")
    def _check_mail(self) -> Self:
        try:
            self.mailer()
        except InvalidInput as error:
            raise ValueError(str(error)) from None
        return self

    def mailer(self) -> SmtpServer | None:
        """The mail server; None without one. Raises `InvalidInput`."""
        if self.smtp_url is None or not self.smtp_url.get_secret_value():
            return None
        return SmtpServer.parse(self.smtp_url.get_secret_value(), self.mail_from)
