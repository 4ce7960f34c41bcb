import FetchedResults
import ScriptSyntax

extension Interpreter {
  /// Says why a controller's cache was of no use, where that is news: not where
  /// this session's own changes made it stale.
  func warnOfCache(of controller: FetchedResultsController, _ range: Range<Int>) {
    guard let name = controller.cacheName, let finding = controller.cacheFinding else { return }
    switch finding.state {
    case .nothing, .used, .stale(_, isOwn: true): break
    case .stale(let staleness, isOwn: false): warnOfCache(name, "\(staleness)", range)
    case .unusable(let fault): warnOfCache(name, "\(fault)", range)
    }
    if let failure = finding.failure {
      warn(Diagnostic(severity: .warning, message: "\(failure)", range: range))
    }
  }

  private func warnOfCache(_ name: String, _ reason: String, _ range: Range<Int>) {
    warn(
      Diagnostic(
        severity: .warning,
        message: "the section cache '\(name)' was computed anew: \(reason)", range: range))
  }

  /// Ends the session: section caches are brought to where the next one finds
  /// them.
  ///
  /// - Returns: What went wrong, in words.
  package func close() -> [String] {
    do {
      try session.coordinator.settleSectionCaches(
        of: session.controllerNames.compactMap { session.controllers[$0]?.controller })
      return []
    } catch {
      return ["\(error)"]
    }
  }
}
