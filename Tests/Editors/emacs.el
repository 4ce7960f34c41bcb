;;; emacs.el --- A session in Emacs with eglot  -*- lexical-binding: t -*-

;; Tests/Editors/session runs it, and compares the buffer at the end with what
;; `frc test --update' writes. It uses the commands that a user would.

(defun say (text) (princ (concat text "\n")))

(defun check (condition text)
  (unless condition
    (say (concat "failed: " text))
    (kill-emacs 1))
  (say (concat "ok: " text)))

(defun wait (text condition)
  "Let the server's messages come until CONDITION returns non-nil."
  (let ((end (+ (float-time) 10)) done)
    (while (and (not (setq done (funcall condition))) (< (float-time) end))
      (accept-process-output nil 0.02)
      ;; What Emacs does when it waits for a key.
      (run-hooks 'post-command-hook)
      (when (eglot-managed-p) (eglot--signal-textDocument/didChange)))
    (check done text)))

(defun shows (text)
  (lambda ()
    (flymake-start)
    (seq-some (lambda (it) (string-search text (flymake-diagnostic-text it)))
              (flymake-diagnostics))))

(defun to (line column)
  (goto-char (point-min))
  (forward-line line)
  (forward-char column))

(defun line () (buffer-substring-no-properties (line-beginning-position) (line-end-position)))

(defun act (title)
  "Choose the code action TITLE at point; return non-nil if it was offered."
  (condition-case nil
      (cl-letf (((symbol-function 'completing-read)
                 (lambda (_ items &rest _)
                   (if (assoc title items) title (error "There is no '%s'" title)))))
        (eglot-code-actions (point) (point) nil t)
        t)
    (error nil)))

(package-initialize)
(require 'frc)
(require 'eglot)
;; The session asks as with keys, and not with a mouse.
(setq last-nonmenu-event ?\r)
(find-file (getenv "SCRIPT"))
(check (eq major-mode 'frc-mode) "the file has the mode of frc")
(wait "eglot manages the buffer" (lambda () (eglot-managed-p)))

(wait "the mistake is shown" (shows "did you mean 'fetch'?"))
(to 2 0)
(check (act "replace 'fetc' with 'fetch'") "the fix is applied")
(check (equal (line) "fetch books") "the buffer has the fix")

(to 1 37)
(pcase-let ((`(,_ ,_ ,table . ,_) (eglot-completion-at-point)))
  (check (member "title" (all-completions "" table)) "completion offers the attribute title"))
(to 0 8)
(check (string-search
        "Book is an entity"
        (plist-get (plist-get (jsonrpc-request (eglot-current-server) :textDocument/hover
                                               (eglot--TextDocumentPositionParams))
                              :contents)
                   :value))
       "hover explains the entity")

(to 3 5)
(check (condition-case refusal (progn (eglot-rename "let") nil)
         (error (string-search "word of the language" (format "%s" refusal))))
       "a wrong name is refused")
(eglot-rename "arrakis")
(check (string-prefix-p "let arrakis" (line)) "the variable is renamed")
(forward-line)
(check (string-prefix-p "arrakis.title" (line)) "and so is its use")

(eglot-format-buffer)
(to 0 0)
(check (equal (line) "entity Book { title: String }") "the script is formatted")

(wait "the missing output is shown" (shows "output without an expectation"))
(write-region nil nil (getenv "BEFORE"))
(to 3 0)
;; The output that is shown may be that of the text before it was formatted.
(wait "all output is accepted" (lambda () (act "accept all output")))
(write-region nil nil (getenv "RESULT"))
(wait "nothing is wrong any longer"
      (lambda () (flymake-start) (null (flymake-diagnostics))))
(say "ok: done")
