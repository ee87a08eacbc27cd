"""Pages: short scripts that read, call and show. No mathematics here."""
