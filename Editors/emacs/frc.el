;;; frc.el --- Scripts of frc, with eglot  -*- lexical-binding: t -*-

;; Put this file into a folder of `load-path', and write (require 'frc) in your init file.

(define-derived-mode frc-mode prog-mode "frc"
  "A mode for scripts of frc."
  (setq-local comment-start "# ")
  (setq-local comment-end "")
  (setq-local indent-tabs-mode nil))

(add-to-list 'auto-mode-alist '("\\.frc\\'" . frc-mode))

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(frc-mode . ("frc" "lsp"))))

;; Without eglot, the mode is there, too.
(add-hook 'frc-mode-hook (lambda () (when (require 'eglot nil t) (eglot-ensure))))

(provide 'frc)
;;; frc.el ends here
