-- A session in Neovim with its built-in client. Tests/Editors/session runs it, and compares the
-- buffer at the end with what `frc test --update` writes.

local frc, script, result = os.getenv("FRC"), os.getenv("SCRIPT"), os.getenv("RESULT")

local function say(text) io.stdout:write(text .. "\n") end

local function fail(text)
  say("failed: " .. text)
  vim.cmd("cquit 1")
end

local function check(condition, text)
  if not condition then fail(text) end
  say("ok: " .. text)
end

require("frc").setup({ cmd = { frc, "lsp" }, settings = { pause = 50 } })
vim.cmd("filetype on | syntax on")
vim.cmd("edit " .. script)
check(vim.fn.synIDattr(vim.fn.synID(1, 1, 1), "name") == "frcStatement", "the words have colours")
local buffer = vim.api.nvim_get_current_buf()

local function wait(text, condition)
  check(vim.wait(10000, condition, 20), text)
end

local function messages()
  return vim.tbl_map(function(item) return item.message end, vim.diagnostic.get(buffer))
end

local function shows(text)
  return function()
    for _, message in ipairs(messages()) do
      if message:find(text, 1, true) then return true end
    end
    return false
  end
end

local function position(line, character)
  return { textDocument = vim.lsp.util.make_text_document_params(), position = { line = line, character = character } }
end

local function ask(method, params)
  local answers = vim.lsp.buf_request_sync(buffer, method, params, 5000)
  for _, answer in pairs(answers or {}) do
    if answer.error then return nil, answer.error.message end
    return answer.result
  end
end

local function actions(line)
  return ask("textDocument/codeAction", {
    textDocument = vim.lsp.util.make_text_document_params(),
    range = { start = { line = line, character = 0 }, ["end"] = { line = line, character = 0 } },
    context = { diagnostics = {} },
  })
end

local function apply(line, title)
  for _, action in ipairs(actions(line) or {}) do
    if action.title == title then
      vim.lsp.util.apply_workspace_edit(action.edit, "utf-16")
      return true
    end
  end
  return false
end

local function line(number) return vim.api.nvim_buf_get_lines(buffer, number, number + 1, true)[1] end

wait("the mistake is shown", shows("did you mean 'fetch'?"))
check(apply(2, "replace 'fetc' with 'fetch'"), "the fix is applied")
check(line(2) == "fetch books", "the buffer has the fix")

local offered = ask("textDocument/completion", position(1, 38))
check(offered and offered.items[1].label == "title", "completion offers the attribute title")
local hover = ask("textDocument/hover", position(0, 8))
check(hover and hover.contents.value:find("Book is an entity", 1, true), "hover explains the entity")

local _, refusal = ask("textDocument/rename", vim.tbl_extend("force", position(3, 5), { newName = "let" }))
check(refusal and refusal:find("word of the language", 1, true), "a wrong name is refused: " .. tostring(refusal))
local edit = ask("textDocument/rename", vim.tbl_extend("force", position(3, 5), { newName = "arrakis" }))
vim.lsp.util.apply_workspace_edit(edit, "utf-16")
check(line(3):find("^let arrakis") and line(4):find("^arrakis.title"), "the variable is renamed")

vim.lsp.buf.formatting_sync(nil, 5000)
check(line(0) == "entity Book { title: String }", "the script is formatted")

wait("the missing output is shown", shows("output without an expectation"))
local function hint(number)
  local namespace = vim.api.nvim_get_namespaces()["frc-hints"]
  local marks = vim.api.nvim_buf_get_extmarks(buffer, namespace, { number, 0 }, { number, -1 }, { details = true })
  return marks[1] and marks[1][4].virt_text[1][1]
end
wait("a hint names the callback", function() return hint(3) == " 1 callback: insert" end)
vim.cmd("write! " .. os.getenv("BEFORE"))
-- The output that is shown may be that of the text before it was formatted.
wait("all output is accepted", function() return apply(3, "accept all output") end)
vim.cmd("write! " .. result)
wait("nothing is wrong any longer", function() return #vim.diagnostic.get(buffer) == 0 end)
say("ok: done")
vim.cmd("qall!")
