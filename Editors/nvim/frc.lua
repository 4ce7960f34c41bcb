-- frc's language server in Neovim 0.7 and later, with its built-in client and without plugins.
-- Documentation/Editors.md says where to put this file.

local M = {}

-- Starts the server for the scripts that are opened, or attaches it to them.
function M.setup(options)
  options = options or {}
  local command = options.cmd or { "frc", "lsp" }
  local client_id = nil

  local function attach(buffer)
    if client_id == nil or vim.lsp.get_client_by_id(client_id) == nil then
      client_id = vim.lsp.start_client({
        name = "frc",
        cmd = command,
        root_dir = options.root_dir or vim.fn.getcwd(),
        init_options = options.settings,
        on_attach = function(_, attached)
          vim.bo[attached].omnifunc = "v:lua.vim.lsp.omnifunc"
          vim.bo[attached].formatexpr = "v:lua.vim.lsp.formatexpr()"
          if options.on_attach then options.on_attach(attached) end
        end,
      })
    end
    if client_id then vim.lsp.buf_attach_client(buffer, client_id) end
  end

  vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile" }, {
    pattern = "*.frc",
    callback = function(event)
      vim.bo[event.buf].filetype = "frc"
      attach(event.buf)
    end,
  })
end

return M
