-- emend for Neovim 0.7 and newer: starts `emend serve` beside the language's own
-- server and asks for words where an action needs them. Everything else is plain
-- LSP: code actions, diagnostics, progress.
--
--   require('emend').setup({ cmd = { 'emend', 'serve' } })
--
-- Commands: :Emend {what to do} (works on the cursor's line or the selection),
-- :EmendFix, :EmendApply, :EmendReview, :EmendDiscard, :EmendUndo, :EmendVerify,
-- :EmendCancel, :EmendApprove, :EmendDeny, :EmendStatus.

local M = {}

local defaults = {
  cmd = { 'emend', 'serve' },
  -- Files and folders that mark the root of a project.
  root_markers = { '.git', 'go.mod', 'package.json', 'Cargo.toml', 'pyproject.toml', 'Makefile' },
  -- Settings, as in the manual: { model = { name = 'qwen2.5-coder:7b' } }.
  settings = {},
}

local options = defaults
local clients = {} -- by root folder

-- The folder of the project a file belongs to.
local function root_of(file)
  local dir = vim.fn.fnamemodify(file, ':p:h')
  local at = dir
  while true do
    for _, marker in ipairs(options.root_markers) do
      local path = at .. '/' .. marker
      if vim.fn.isdirectory(path) == 1 or vim.fn.filereadable(path) == 1 then
        return at
      end
    end
    local up = vim.fn.fnamemodify(at, ':h')
    if up == at then
      return dir
    end
    at = up
  end
end

local function init_options()
  local init = vim.deepcopy(options.settings)
  init.input = true -- this plug-in runs emend.input
  return init
end

-- Actions that end in … come here for words.
local function input(command)
  local ask = (command.arguments or {})[1] or {}
  vim.ui.input({ prompt = 'emend, ' .. (ask.prompt or 'what to do') .. ': ' }, function(words)
    if words and words ~= '' then
      local args = vim.deepcopy(ask.arguments or {})
      args.instruction = words
      M.execute(ask.command, args)
    end
  end)
end

-- attach starts the server of a buffer's project and attaches the buffer.
function M.attach(buf)
  local file = vim.api.nvim_buf_get_name(buf)
  if file == '' or vim.api.nvim_buf_get_option(buf, 'buftype') ~= '' then
    return
  end
  local root = root_of(file)
  local id = clients[root]
  if not id or not vim.lsp.get_client_by_id(id) then
    id = vim.lsp.start_client({
      name = 'emend',
      cmd = options.cmd,
      root_dir = root,
      workspace_folders = { { uri = vim.uri_from_fname(root), name = root } },
      init_options = init_options(),
      on_exit = function()
        clients[root] = nil
      end,
    })
    clients[root] = id
  end
  if id then
    vim.lsp.buf_attach_client(buf, id)
  end
end

-- client is the server of the current buffer, nil when there is none.
function M.client()
  local file = vim.api.nvim_buf_get_name(0)
  local id = file ~= '' and clients[root_of(file)]
  return id and vim.lsp.get_client_by_id(id) or nil
end

-- execute runs a command of emend's; done gets the error and the result.
function M.execute(command, args, done)
  local client = M.client()
  if not client then
    vim.notify('emend is not attached to this buffer', vim.log.levels.WARN)
    return
  end
  local params = { command = command, arguments = args and { args } or {} }
  client.request('workspace/executeCommand', params, function(err, result)
    if err then
      vim.notify('emend: ' .. err.message, vim.log.levels.WARN)
    end
    if done then
      done(err, result)
    end
  end, vim.api.nvim_get_current_buf()) -- 0 would leave what was just typed untold in 0.7
end

-- place is the cursor's line, or the lines of a range.
local function place(first, last)
  return {
    uri = vim.uri_from_bufnr(0),
    line = first == last and tostring(first) or (first .. '-' .. last),
  }
end

local function define_commands()
  local function command(name, run, attributes)
    vim.api.nvim_create_user_command(name, run, attributes or {})
  end
  command('Emend', function(c)
    local args = place(c.line1, c.line2)
    args.instruction = c.args
    M.execute('emend.run', args)
  end, { nargs = '+', range = true })
  command('EmendFix', function(c)
    M.execute('emend.fix', place(c.line1, c.line2))
  end, { range = true })
  for name, id in pairs({
    EmendApply = 'emend.apply', EmendReview = 'emend.review', EmendDiscard = 'emend.discard', EmendUndo = 'emend.undo',
    EmendVerify = 'emend.verify', EmendCancel = 'emend.cancel', EmendApprove = 'emend.approve', EmendDeny = 'emend.deny',
    EmendStatus = 'emend.status',
  }) do
    command(name, function()
      M.execute(id)
    end)
  end
end

function M.setup(opts)
  options = vim.tbl_deep_extend('force', defaults, opts or {})
  vim.lsp.commands['emend.input'] = input
  define_commands()
  vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile', 'BufWritePost' }, {
    group = vim.api.nvim_create_augroup('emend', { clear = true }),
    callback = function(event)
      M.attach(event.buf)
    end,
  })
end

return M
