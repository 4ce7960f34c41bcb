extension ForeignWord {
  /// Returns the statement that does the same as a method of Apple's.
  ///
  /// - Parameters:
  ///   - call: An expression; if it is not such a call, the result is nil.
  ///   - source: The text that contains the call.
  static func statement(for call: ExpressionSyntax, in source: SourceText) -> String? {
    guard case .methodCall(let owner, let name, let arguments) = call.kind else { return nil }
    let base = source.text(in: owner.range)
    // The context of an app is `main` here, which need not be written.
    let context = base.lowercased().hasSuffix("context") ? "" : " " + base
    switch name.text {
    case "performFetch": return "fetch \(base)"
    case "reloadData": return "reload \(base)"
    case "save", "rollback", "reset": return name.text + context
    case "undo", "redo": return name.text
    case "processPendingChanges": return "process"
    case "refreshAllObjects": return "refresh all"
    case "obtainPermanentIDs":
      guard let objects = arguments.first?.value else { return "obtain permanent ids" }
      return "obtain permanent ids for \(source.text(in: objects.range))"
    case "delete":
      guard let object = arguments.first?.value else { return "delete \(base)" }
      return "delete \(source.text(in: object.range))"
    default: return nil
    }
  }
}
