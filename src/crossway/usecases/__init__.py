"""What can be asked of Crossway: plain functions of the services and of who asks."""
