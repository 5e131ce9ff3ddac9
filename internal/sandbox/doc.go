// Package sandbox runs commands over a draft, confined and bounded, without
// touching the person's tree.
//
// Start at [New]: it makes a private copy of a workspace folder with the open
// documents and a draft's changes laid over it, and returns a [Box].
// [Box.Update] brings the copy in step with a newer draft, [Box.Run] runs one
// command in it, [Box.Close] ends what runs and removes the copy.
//
// # What a level keeps
//
// [Probe] says how far this system can confine a command and [Box.Level] how
// far a Box does.
//
//	level  the command cannot                         it still can
//	files  create, write, truncate, move or remove    read what the person can
//	       anything outside the copy, its temporary   read, use the network,
//	       folder and the tool caches; signal or      connect to Unix sockets,
//	       trace processes that are not its own;      change modes, owners and
//	       gain privileges; use root's powers         times of existing files
//	       other than those over files                by absolute path
//	none   change the workspace by relative paths     do anything the person
//	       (it runs in a scratch copy)                can, by absolute path
//
// "files" is Landlock, on Linux 6.2 or newer; before 6.15 it does not keep
// signals in, which [Support.Notes] then says. At both levels a command is only
// as harmless as its author: whoever calls Run has asked the person. "full"
// (namespaces and overlays) is not built yet; the name is here so that nothing
// outside this package changes when it is.
//
// What the copy lacks, a command does not see: version control's folders, links
// that lead out of the workspace, and folders beside it that are named by "../".
//
// # What is gone at the end
//
// When Run returns, for whatever reason, the command's processes have been
// killed. On Linux a guard process adopts every descendant, whatever session
// or group it moved to and whatever became of its parents, and kills them all;
// it does so as well when this process dies, by any signal. What it does not
// catch: work handed to a process that was there before (a docker daemon,
// systemd-run, at, cron), and, where signals are not kept in, what a command
// that kills the guard has moved out of its own process group. Elsewhere on
// Unix only the command's process group is killed, and on Windows only the
// command itself.
//
// Time and output are bounded; memory, processes and disk space are not yet.
//
// The guard is this same program started again: importing the package installs
// an init function that takes over when the program's name is the guard's. No
// other package needs to know.
//
// The package may not know LSP, models, or what a command is for.
package sandbox
