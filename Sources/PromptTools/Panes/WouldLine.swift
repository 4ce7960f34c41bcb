package import ScriptRuntime

/// One line that says what a statement would send.
package struct WouldLine {
  private let callbacks: [Event]
  private let failure: String?

  package init(callbacks: [Event], failure: String?) {
    self.callbacks = callbacks
    self.failure = failure
  }

  /// The line.
  package var text: String {
    if let failure { return "# would fail: \(failure)" }
    // The callbacks around a batch are left out, unless there are no others.
    let changes = callbacks.filter { !$0.isFrame }
    let shown = changes.isEmpty ? callbacks : changes
    guard !shown.isEmpty else { return "# would send nothing" }
    let texts = shown.prefix(2).map { EventFormatter.text.lines(for: $0).first ?? "" }
    let rest = shown.count - texts.count
    return "# would send: " + texts.joined(separator: "; ") + (rest > 0 ? "; and \(rest) more" : "")
  }

  /// All callbacks, one per line.
  package var lines: [String] {
    let sent = callbacks.flatMap { EventFormatter.text.lines(for: $0) }.map { "#   \($0)" }
    let end = failure.map { ["# would fail: \($0)"] } ?? []
    // A statement that fails sends nothing after the failure, and mostly nothing before.
    if sent.isEmpty { return end.isEmpty ? ["# would send nothing"] : end }
    return ["# would send:"] + sent + end
  }
}

extension Event {
  fileprivate var isFrame: Bool {
    switch self {
    case .willChangeContent, .didChangeContent: true
    case .didChangeObject, .didChangeSection, .snapshot, .difference, .counts, .hook,
      .notification, .show, .table, .dataSource, .exception, .showTable, .request, .value, .rows,
      .objects, .objectIDs, .dictionaries, .batch, .evaluation, .explainedTurn, .explanation,
      .swift, .cache, .statistics, .history, .remoteChange, .statement, .model, .note, .console,
      .error:
      false
    }
  }
}
