"""Yellow Card: on- and off-ramps in Africa by bank transfer and mobile money."""
