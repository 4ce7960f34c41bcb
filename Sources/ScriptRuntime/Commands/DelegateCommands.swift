import FetchedResults
import ScriptSyntax

/// Statements that set the delegates of controllers.
struct DelegateCommands {
  let session: Session
  let frames: FrameStack
  let names: NameLookup
  let events: EventEmitter
  let warnings: WarningLog
  let callbacks: CallbackRunner
  let watch: ReplayWatch

  /// `delegate books didChange`.
  func set(_ name: Name, to mode: Statement.DelegateMode) throws(ScriptError) {
    let binding = try names.controller(name)
    warnOfDetachedTable(of: binding, name.range)
    set(mode, of: binding)
  }

  func set(_ mode: Statement.DelegateMode, of binding: ControllerBinding) {
    attach(
      .mode(mode), DelegateRecorder.recorder(for: mode, of: binding, emit: events.emit),
      to: binding)
  }

  /// `delegate books { didChangeObject { … } }`.
  func set(_ name: Name, to callbacks: [CallbackSyntax]) throws(ScriptError) {
    let binding = try names.controller(name)
    warnOfDetachedTable(of: binding, name.range)
    let source = frames.source
    let context = binding.controller.managedObjectContext
    let recorder = ScriptedRecorder(callbacks, of: binding, emit: events.emit) {
      [weak runner = self.callbacks] in
      runner?.run($0, with: $1, in: source, on: context)
    }
    attach(.own(callbacks, source), recorder, to: binding)
  }

  /// Sets a controller's delegate.
  ///
  /// Steps and breaches of the replay law are noticed before it.
  func attach(
    _ delegate: ControllerBinding.Delegate, _ recorder: DelegateRecorder?,
    to binding: ControllerBinding
  ) {
    session.note(
      .delegate(
        binding.name, recorder?.implementedMethods, countsOnly: recorder is CountingRecorder))
    binding.attach(
      delegate, recorder,
      callbackDidEnd: { [weak events] in events?.stepper?.callbackDidEnd(of: $0) },
      hearBreach: watch.hearing(binding.name))
  }

  /// Warns if a table no longer receives changes, because a controller has only one delegate.
  ///
  /// As in an app, the table keeps what it shows.
  func warnOfDetachedTable(of binding: ControllerBinding, _ range: Range<Int>) {
    guard let recorder = binding.recorder as? TableRecorder else { return }
    let name = recorder.tableName
    warnings.warn(
      "table '\(name)' is no longer the delegate of '\(binding.name)' and will not "
        + "follow its changes; write 'table \(name) = \(binding.name)' to attach it again", range)
  }
}
