autocmd BufRead,BufNewFile *.frc setfiletype frc
