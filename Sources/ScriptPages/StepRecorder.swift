package import ScriptRuntime
import TableViews

/// Records what one statement after another does, with what controllers and tables then show.
package final class StepRecorder {
  /// The statement that is recorded.
  package private(set) var step = PlayRecording.Step(lines: 1...1)
  private var sampler = ListSampler()

  package init() {}

  /// Starts with the next statement.
  package func begin(lines: ClosedRange<Int>, beginsSession: Bool = false) {
    step = PlayRecording.Step(lines: lines, beginsSession: beginsSession)
  }

  /// Forgets what controllers and tables showed, because a new session begins.
  package func forgetSession() { sampler = ListSampler() }

  /// Takes what a session shows now as the state before the next statement.
  package func resample(_ session: Session) {
    sampler = ListSampler()
    _ = sampler.changes(in: session)
  }

  /// Returns the statement with its first events and a note only, and then with all rows that the
  /// session shows now.
  package func shortened(
    to count: Int, noting text: String, in session: Session
  ) -> PlayRecording.Step {
    var short = PlayRecording.Step(lines: step.lines, beginsSession: true)
    short.frames = step.frames.prefix(count).map { PlayRecording.Frame(event: $0.event) }
    short.frames.append(PlayRecording.Frame(event: .note(text)))
    sampler = ListSampler()
    short.change = sampler.changes(in: session)
    return short
  }

  package func add(_ explanations: [Explanation]) { step.explanations += explanations }

  /// Records an event without looking at what is shown.
  package func note(_ event: Event) { step.frames.append(PlayRecording.Frame(event: event)) }

  /// Records an event.
  ///
  /// If it ends a batch, also records what its controller or table then shows.
  package func take(_ event: Event, in session: Session) {
    var frame = PlayRecording.Frame(event: event)
    if let callback = event.callback {
      if callback.beginsBatch {
        // Changes from before the batch belong to the event before it.
        let change = sampler.changes(ofController: callback.controller, in: session)
        if step.frames.isEmpty {
          frame.change = change
        } else {
          step.frames[step.frames.count - 1].change.lists += change.lists
        }
      } else if callback.endsBatch {
        frame.change = sampler.changes(ofController: callback.controller, in: session)
      }
    }
    if let table = event.changedTable {
      frame.change = sampler.changes(ofTable: table, in: session)
    }
    step.frames.append(frame)
  }

  /// Ends the statement and returns it.
  package func end(in session: Session) -> PlayRecording.Step {
    step.change = sampler.changes(in: session)
    return step
  }
}

extension Event {
  /// The table that shows other rows after the event; nil if there is none.
  fileprivate var changedTable: String? {
    if case .exception(let name, _) = self { return name }
    guard case .table(let name, let operation, _) = self else { return nil }
    switch operation {
    case .endUpdates, .reloadData: return name
    case .beginUpdates, .insertRows, .deleteRows, .reloadRows, .moveRow, .insertSections,
      .deleteSections, .configureCell:
      return nil
    }
  }
}
