-- The main job in a real Neovim: run by neovim_test.go as
--   nvim --headless -u NONE -i NONE -n --cmd "set rtp+=…" -c "luafile story.lua"
-- It prints one line a step to the file EMEND_E2E_OUT and leaves with a non-zero
-- code at the first that fails.

local out = io.open(os.getenv('EMEND_E2E_OUT'), 'w')
local messages = {}

local function say(line)
  out:write(line .. '\n')
  out:flush()
end

local function fail(what)
  say('FAIL ' .. what)
  for _, m in ipairs(messages) do
    say('  message: ' .. m)
  end
  say('  buffer: ' .. table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '|'))
  vim.cmd('cquit 1')
end

local function check(ok, what)
  if not ok then
    fail(what)
  end
  say('ok   ' .. what)
end

local function wait(what, cond)
  check(vim.wait(20000, cond, 10), what)
end

local function text()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
end

local function said(part)
  return function()
    for _, m in ipairs(messages) do
      if m:find(part, 1, true) then
        return true
      end
    end
    return false
  end
end

-- Every message of the server, in place of the screen.
vim.lsp.handlers['window/showMessage'] = function(_, result)
  table.insert(messages, result.message)
  return result
end
vim.notify = function(text)
  table.insert(messages, text)
end

-- The person's choice in a menu: the row that begins with this.
local choice
vim.ui.select = function(items, opts, on_choice)
  for i, item in ipairs(items) do
    local row = opts.format_item and opts.format_item(item) or tostring(item)
    if row:find(choice, 1, true) then
      return on_choice(item, i)
    end
  end
  fail('no row "' .. choice .. '" in the menu')
end

local function action(line, row)
  vim.api.nvim_win_set_cursor(0, { line, 0 })
  choice = row
  vim.lsp.buf.code_action()
end

local function hints()
  local n = 0
  for _, d in ipairs(vim.diagnostic.get(0)) do
    if d.severity == vim.diagnostic.severity.HINT then
      n = n + 1
    end
  end
  return n
end

require('emend').setup({ cmd = { os.getenv('EMEND_BIN'), 'serve' } })
vim.cmd('edit ' .. os.getenv('EMEND_E2E_FILE'))
wait('the server is attached', function()
  local client = require('emend').client()
  return client ~= nil and client.initialized
end)
local before = text()

-- 1. A comment directive is done.
action(4, 'emend: Do what this comment asks')
wait('the directive\'s change is proposed', function() return hints() == 2 end)
check(text() == before, 'nothing changed without a yes')
action(5, 'emend: Apply 2 changes')
wait('the change is in the buffer', function() return text():find('Bonjour', 1, true) ~= nil end)
wait('the outcome is told', said('1 file changed, 1 not saved'))
check(text() == os.getenv('EMEND_E2E_DIRECTIVE'), 'the buffer is right, the directive is gone')

-- 2. A line is fixed, while the person goes on typing elsewhere.
vim.api.nvim_buf_set_lines(0, -1, -1, false, { '', '// typed: Bücher 🎉' })
messages = {}
action(5, 'emend: Fix this line')
wait('the fix is proposed', function() return hints() == 1 end)
vim.api.nvim_buf_set_lines(0, 0, 0, false, { '// typed above while it waited' })
vim.cmd('EmendApply')
wait('the fix is in the buffer', function() return text():find('name + "!"', 1, true) ~= nil end)
wait('the outcome is told', said('1 file changed'))
check(text() == os.getenv('EMEND_E2E_FIXED'), 'the buffer is right, what was typed stays')

-- A script runs as one command: this ends the undo block, as the next key would.
vim.o.undolevels = vim.o.undolevels

-- 3. It is undone, and what was typed stays.
messages = {}
vim.cmd('EmendUndo')
wait('the fix is out of the buffer', function() return text():find('name + "!"', 1, true) == nil end)
wait('the undo is told', said('1 file changed'))
check(text() == os.getenv('EMEND_E2E_UNDONE'), 'the buffer is right after undo')

-- 4. The editor's own undo works too.
vim.cmd('undo')
check(text() == os.getenv('EMEND_E2E_FIXED'), 'u takes emend\'s undo back in one step')

say('done')
vim.cmd('qall!')
