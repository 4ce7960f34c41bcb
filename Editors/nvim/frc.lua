-- frc's language server in Neovim 0.7 and later, with its built-in client and without plugins.
-- Editors/README.md says where to put this file.

local M = {}

local hints = vim.api.nvim_create_namespace("frc-hints")

-- Neovim draws inlay hints itself since 0.10. Before, they are drawn here, after each line.
local draws_hints = vim.lsp.inlay_hint ~= nil

local function show_hints(buffer)
  local params = {
    textDocument = { uri = vim.uri_from_bufnr(buffer) },
    range = {
      start = { line = 0, character = 0 },
      ["end"] = { line = vim.api.nvim_buf_line_count(buffer), character = 0 },
    },
  }
  vim.lsp.buf_request(buffer, "textDocument/inlayHint", params, function(_, result)
    if not vim.api.nvim_buf_is_loaded(buffer) then return end
    vim.api.nvim_buf_clear_namespace(buffer, hints, 0, -1)
    for _, hint in ipairs(result or {}) do
      -- The text may have changed since it was asked for.
      if hint.position.line < vim.api.nvim_buf_line_count(buffer) then
        vim.api.nvim_buf_set_extmark(buffer, hints, hint.position.line, 0, {
          virt_text = { { " " .. hint.label, "Comment" } },
          hl_mode = "combine",
          -- Before the diagnostics, which can fill the line.
          priority = 1,
        })
      end
    end
  end)
end

-- The server asks for this when a run has ended.
local function refresh(_, _, context)
  for _, buffer in ipairs(vim.lsp.get_buffers_by_client_id(context.client_id)) do
    show_hints(buffer)
  end
  return vim.NIL
end

-- Starts the server for the scripts that are opened, or attaches it to them.
-- With markdown = true, it serves the scripts in Markdown files, too.
function M.setup(options)
  options = options or {}
  local command = options.cmd or { "frc", "lsp" }
  local client_id = nil
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  capabilities.workspace.inlayHint = { refreshSupport = true }
  local handlers = {}
  if not draws_hints then handlers["workspace/inlayHint/refresh"] = refresh end

  local function attach(buffer)
    if client_id == nil or vim.lsp.get_client_by_id(client_id) == nil then
      client_id = vim.lsp.start_client({
        name = "frc",
        cmd = command,
        root_dir = options.root_dir or vim.fn.getcwd(),
        init_options = options.settings,
        capabilities = capabilities,
        handlers = handlers,
        on_attach = function(_, attached)
          vim.bo[attached].omnifunc = "v:lua.vim.lsp.omnifunc"
          vim.bo[attached].formatexpr = "v:lua.vim.lsp.formatexpr()"
          if draws_hints then vim.lsp.inlay_hint.enable(true, { bufnr = attached }) end
          if options.on_attach then options.on_attach(attached) end
        end,
      })
    end
    if client_id then vim.lsp.buf_attach_client(buffer, client_id) end
  end

  vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile" }, {
    pattern = options.markdown and { "*.frc", "*.md" } or { "*.frc" },
    callback = function(event)
      if event.match:find("%.frc$") then
        vim.bo[event.buf].filetype = "frc"
        vim.bo[event.buf].commentstring = "# %s"
      end
      attach(event.buf)
    end,
  })
end

return M
