" Two columns in, as frc fmt has it.
setlocal expandtab shiftwidth=2 softtabstop=2 commentstring=#\ %s
