package import ScriptSyntax

/// An error of a running statement, with its place.
package struct ScriptError: Error {
  /// A reference, because each function that an error passes keeps room for it on the stack, and
  /// expressions may be deeply nested.
  private let parts: Parts

  package var kind: Kind { parts.kind }
  /// The place, in UTF-8 bytes of the source.
  package var range: Range<Int> { parts.range }
  package var source: SourceText { parts.source }

  package init(_ kind: Kind, range: Range<Int>, source: SourceText) {
    parts = Parts(kind, range, source)
  }

  private final class Parts: Sendable {
    let kind: Kind
    let range: Range<Int>
    let source: SourceText

    init(_ kind: Kind, _ range: Range<Int>, _ source: SourceText) {
      self.kind = kind
      self.range = range
      self.source = source
    }
  }

  /// The error without the statement during which it happened.
  package var cause: Kind { kind.cause }

  /// The error as a diagnostic, which is how all messages are rendered.
  package var diagnostic: Diagnostic {
    ForeignForm.improved(
      Diagnostic(message: kind.description, range: range, replacement: kind.replacement),
      in: source)
  }

  /// The kind of error, as data.
  package indirect enum Kind: Error, Hashable, Sendable {
    /// An unknown name, with the nearest name, and the names that are known.
    case unknown(UnknownName, String, suggestion: String?, known: [String] = [])
    /// A name that stands for something else than needed.
    case misused(String, is: NameMeaning, wanted: WantedName)
    case file(FileProblem)
    case controller(ControllerProblem)
    case contextExists(String)
    /// A context without a save that could be merged.
    case notSaved(String)
    case mergesItself(String)
    /// There is no batch request that could be merged.
    case noBatch
    /// A batch request whose result contains no object IDs.
    case batchWithoutIDs(String)
    /// A batch update whose value reads an attribute of the object.
    case batchReadsAttribute(String)
    /// An `extension` block inside another one.
    case nestedExtension
    /// A merge of the history into a context that reads from its parent, not from the store.
    case historyIntoChild(String)
    /// An unsaved object of another context.
    case objectElsewhere(String, context: String)
    /// A text that a function cannot parse.
    case malformed(String, as: String)
    case givenTwice(String)
    case wrongType(attribute: String, type: String, found: String)
    case abstractEntity(String)
    case notToMany(String, operator: String)
    case transientTooDeep(Int)
    case expressionTooDeep(Int)
    case otherEntity(String, actual: String)
    case misplacedPart(String, property: String)
    case wrongArguments(String, usage: String)
    case noSuchObject(String, ObjectsThere)
    case deletedObject(String)
    /// A value that is not an object, with the code that gave it.
    case notAnObject(found: String, code: String)
    case notIndexable(found: String)
    case indexOutOfRange(Int64, count: Int)
    case needed(String, found: String)
    case cannotCombine(String, String, operator: String)
    case cannotCompare(String, String)
    case divisionByZero
    case overflow
    case tooLarge
    case dateOutOfRange
    case tooLong(limit: Int)
    case tooManyElements(limit: Int)
    case nestedTooDeep(limit: Int)
    case contextsTooDeep(limit: Int)
    case wrongTarget
    /// An expected comparison that does not hold, with the values of both sides.
    case unequal(String, left: String, right: String)
    case untrue(String)
    case returnOutsideCallback
    /// A statement in awakeFromFetch that cannot run while a row is read.
    case refusedWhileReading
    /// An assignment in awakeFromFetch to a property that a store keeps.
    case storedWhileReading
    case callbacksTooDeep(Int)
    case endlessCallbacks(Int)
    case interrupted
    case stepLimit(Int)
    /// An error of a callback that ran while a context was saved, with the statement that saves.
    case duringSave(Kind, save: String)
    /// An error of the engine, with the engine's message.
    case engine(String)
  }
}
