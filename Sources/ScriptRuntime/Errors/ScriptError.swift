package import ScriptSyntax

/// A statement that cannot be done, and where it says so.
package struct ScriptError: Error {
  /// By reference, since each function on the way of an error keeps room for it on the stack, and
  /// expressions nest deep.
  private let parts: Parts

  package var kind: Kind { parts.kind }
  /// In UTF-8 bytes of the source.
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

  /// The error without what was going on around it.
  package var cause: Kind { kind.cause }

  /// The error as the one rendering of messages takes it.
  package var diagnostic: Diagnostic {
    ForeignForm.improved(
      Diagnostic(message: kind.description, range: range, replacement: kind.replacement),
      in: source)
  }

  /// What is wrong, as data.
  package indirect enum Kind: Error, Hashable, Sendable {
    /// A name without a meaning, the nearest name, and the names that have one.
    case unknown(UnknownName, String, suggestion: String?, known: [String] = [])
    /// A name that means something else than what is wanted.
    case misused(String, is: NameMeaning, wanted: WantedName)
    case file(FileProblem)
    case controller(ControllerProblem)
    case contextExists(String)
    /// A context that has saved nothing to merge.
    case notSaved(String)
    case mergesItself(String)
    /// No batch request that could be merged.
    case noBatch
    /// A batch request that answered with something else than objects.
    case batchWithoutIDs(String)
    /// A batch update whose value asks for an attribute of the object.
    case batchReadsAttribute(String)
    /// Another process in the block of another one.
    case nestedExtension
    /// A context that reads from its parent, and not from the store.
    case historyIntoChild(String)
    /// An unsaved object of another context.
    case objectElsewhere(String, context: String)
    /// A text that is not what a function makes of texts.
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
    /// A value that is not an object, and the code that gave it.
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
    case wrongTarget
    /// A comparison that was expected to hold, and both sides' values.
    case unequal(String, left: String, right: String)
    case untrue(String)
    case returnOutsideCallback
    /// A statement of awakeFromFetch that cannot run while a row is read.
    case refusedWhileReading
    /// An assignment of awakeFromFetch to something that a store keeps.
    case storedWhileReading
    case callbacksTooDeep(Int)
    case endlessCallbacks(Int)
    case interrupted
    case stepLimit(Int)
    /// An error of a callback that ran while a context was saved: its cause, and
    /// the statement that saves.
    case duringSave(Kind, save: String)
    /// An error of the engine, in its words.
    case engine(String)
  }
}
