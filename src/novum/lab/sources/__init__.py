"""Where the steps of a method come from: its passes, or fits of growing length."""
