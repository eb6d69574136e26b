"""What can be said about the kept model beyond its score: where it errs, what it uses, how sure it is, whether more rows would help."""
