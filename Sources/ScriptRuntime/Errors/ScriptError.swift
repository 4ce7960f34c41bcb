import Basics
import FetchedResults
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
    let diagnostic = Diagnostic(
      message: kind.description, range: range, replacement: kind.replacement)
    return kind.cause.foreignSubject.map {
      ForeignForm.improved(diagnostic, about: $0, in: source)
    } ?? diagnostic
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
    /// A named request that gives dictionaries, in a request that gives something else.
    case dictionaries(String)
    /// A batch update of a request with a limit or an offset.
    case limitedBatchUpdate
    /// An `extension` block inside another one.
    case nestedExtension
    /// A merge of something that was not saved into the parent from which a context reads.
    case mergesIntoChild(String, String)
    /// A merge of what a context has saved into its parent, into a context that reads from the store.
    case mergesChild(String)
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

extension ScriptError.Kind: CustomStringConvertible {
  /// The message on one line: in lower case, without a full stop, with the nearest name.
  package var description: String { words.onOneLine }

  private var words: String {
    switch self {
    case .unknown(let kind, let name, let near, let known): kind.words(name, near, known)
    case .misused(let name, let meaning, let wanted): wanted.words(name, meaning)
    case .file(let problem): problem.words
    case .controller(let problem): problem.words
    case .malformed(let text, let kind): "\(text) is not \(kind)"
    case .givenTwice(let name): "'\(name)' given twice"
    case .wrongType(let attribute, let type, let found):
      "'\(attribute)' takes \(type.first == "I" ? "an" : "a") \(type), found \(found)"
        + (Self.spelling(of: type, insteadOf: found).map { "; \($0)" } ?? "")
    case .abstractEntity(let name):
      "\(name) is abstract; insert an object of an entity that inherits from it"
    case .notToMany(let name, let sign):
      "'\(sign)' adds to and takes from a to-many relationship; '\(name)' leads to one object"
    case .transientTooDeep(let limit):
      "transient attributes use each other more than \(limit) levels deep; does one use itself?"
    case .expressionTooDeep(let limit):
      "expressions and the transient attributes they read are nested more than \(limit) levels deep"
    case .otherEntity(let named, let actual):
      "\(named) does not exist; number \(named.drop { $0 != "/" }.dropFirst()) is \(actual)"
    case .misplacedPart(let part, let property): "'\(part)' has no meaning for '\(property)'"
    case .wrongArguments(let name, let usage): "'\(name)' is called as \(usage)"
    case .noSuchObject(let object, let others): "there is no \(object); \(others.words)"
    case .deletedObject(let object): "\(object) is deleted"
    case .notAnObject(let found, let code): Self.wordsForNoObject(found, code)
    case .notIndexable(let found): "\(found) has no elements"
    case .contextExists(let name): "there is a context '\(name)' already"
    case .notSaved(let name):
      "nothing was saved in '\(name)' while there was another context, so there is nothing to merge"
    case .nestedExtension: "an extension runs already; end its block first"
    case .mergesIntoChild(let name, let merged):
      "'\(name)' reads from its parent and not from the store; merge \(merged) into the parent"
    case .mergesChild(let name):
      "'\(name)' saves into its parent and not into the store; save the parent, and merge that"
    case .mergesItself(let name):
      "a context cannot be merged into itself; '\(name)' has its changes already"
    case .noBatch: "there was no batch request whose result could be merged"
    case .batchWithoutIDs(let type):
      "the batch request returned \(type); contexts merge object IDs, so leave 'returning' out"
    case .batchReadsAttribute(let name):
      "a batch update has no objects, so '\(name)' has no value; "
        + "write \(name) += …, or 'update' without 'batch'"
    case .dictionaries(let name):
      "'\(name)' gives dictionaries, so it cannot be in a batch request or one with 'returning'"
    case .limitedBatchUpdate:
      "a batch update changes each object that 'where' selects; leave 'limit' and 'offset' out, "
        + "or write 'update' without 'batch'"
    case .objectElsewhere(let object, let context):
      "\(object) is in context '\(context)' only, until that is saved"
    case .indexOutOfRange(let index, let count):
      "index \(index) is out of range: " + Self.indices(ofElements: count)
    case .needed(let wanted, let found): "expected \(wanted), found \(found)"
    case .cannotCombine(let left, let right, let sign):
      "'\(sign)' does not take \(left) and \(right)"
    case .cannotCompare(let left, let right): "\(left) and \(right) cannot be compared"
    case .divisionByZero: "division by zero"
    case .overflow: "the number does not fit into 64 bits"
    case .tooLarge: "the number is too large"
    case .dateOutOfRange: "the date would lie outside the years 1 to 9999"
    case .tooManyElements(let limit): "the list would have more than \(limit) elements"
    case .nestedTooDeep(let limit): "statements are nested more than \(limit) levels deep"
    case .contextsTooDeep(let limit):
      "contexts are nested more than \(limit) levels deep; name a parent nearer to the store"
    case .tooLong(let limit): "the text would be longer than \(limit) bytes"
    case .wrongTarget: "only an attribute of an object can be assigned, as in dune.title"
    case .unequal(let text, let left, let right):
      "expected \(text); the left side is \(left), the right side \(right)"
    case .untrue(let text): "expected \(text) to be true"
    case .returnOutsideCallback: "'return' has a meaning only inside a delegate's callback"
    case .refusedWhileReading:
      "awakeFromFetch runs while a row is read: it can look at values and set transient "
        + "attributes of its object, and nothing else"
    case .storedWhileReading:
      "awakeFromFetch can set transient attributes of its object only; Core Data records no "
        + "other change there"
    case .callbacksTooDeep(let limit):
      "callbacks nest deeper than \(limit); does one change objects and fetch?"
    case .endlessCallbacks(let limit):
      "callbacks still change objects after \(limit) turns"
    case .duringSave(let cause, let save):
      "\(cause.words) (in a callback during '\(save)')"
    case .interrupted: "interrupted"
    case .stepLimit(let limit): "stopped after \(limit) steps"
    case .engine(let message): message
    }
  }

  /// Returns how to write a value of a type that was written as another type.
  private static func spelling(of type: String, insteadOf found: String) -> String? {
    let text = found.hasPrefix("\"") ? String(found.dropFirst().dropLast()) : nil
    switch type {
    case "Date":
      guard let text else { return nil }
      return text.wholeMatch(of: #/\d{4}-\d{2}-\d{2}/#) == nil
        ? "write a date such as @2026-11-21" : "write @\(text)"
    case "Decimal", "Data", "UUID": return text == nil ? nil : "write \(type.lowercased())(…)"
    case "String": return Double(found) == nil ? nil : "write \"\(found)\""
    case "Bool": return "write true or false"
    case "Int", "Int16", "Int32", "Double", "Float":
      return text.flatMap { Double($0) } == nil ? nil : "write \(text ?? found) without quotes"
    case "URI": return nil
    default: return text == nil ? nil : "write an object, such as \(type)/1"
    }
  }

  private static func wordsForNoObject(_ found: String, _ code: String) -> String {
    let isShort = code.utf8.count <= 60 && !code.contains(where: \.isNewline)
    guard found == "nil", code != "nil", isShort else {
      if isShort, let text = code.wholeMatch(of: #/["']([A-Z]\w*\/\d+)["']/#)?.output.1 {
        return "expected an object, found \(found); write \(text) without quotes"
      }
      return "expected an object, such as Book/1, found \(found)"
    }
    return "expected an object, but '\(code)' is nil; write 'if \(code) != nil { … }'"
  }

  private static func indices(ofElements count: Int) -> String {
    switch count {
    case 0: "there are no elements"
    case 1: "there is one element, at 0"
    default: "indices run from 0 to \(count - 1)"
    }
  }
}

extension String {
  /// The text with line ends and other control characters escaped.
  var onOneLine: String {
    guard unicodeScalars.contains(where: \.isControl) else { return self }
    var result = ""
    for scalar in unicodeScalars {
      if scalar.isControl {
        result += String(Character(scalar)).quoted.dropFirst().dropLast()
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

extension ScriptError.Kind {
  /// What a foreign form could be the reason for; nil for an error of valid code, such as a failed
  /// expectation or a value of a wrong type.
  ///
  /// A date has a form because it may lack its '@'.
  fileprivate var foreignSubject: ForeignForm.Subject? {
    switch self {
    case .unknown(_, let name, _, _): .name(name)
    case .misused(_, _, wanted: .newName): nil
    case .misused(let name, _, _): .name(name)
    case .returnOutsideCallback: .use
    case .wrongArguments(let name, _): name.hasSuffix("[…]") ? .use : nil
    case .engine(let message):
      message == "\(FetchedResultsError.missingSortDescriptors)" ? .use : nil
    case .needed(let wanted, _): ["an entity", "a date"].contains(wanted) ? .use : nil
    case .wrongType(_, let type, _): type == "Date" ? .use : nil
    case .notAnObject(let found, let code): found == "a controller" ? .name(code) : nil
    case .file, .controller, .contextExists, .notSaved, .mergesItself, .nestedExtension,
      .mergesIntoChild, .mergesChild, .objectElsewhere, .noBatch, .batchWithoutIDs,
      .batchReadsAttribute, .dictionaries, .limitedBatchUpdate, .malformed, .givenTwice,
      .abstractEntity, .notToMany, .transientTooDeep, .expressionTooDeep, .otherEntity,
      .misplacedPart, .noSuchObject, .deletedObject, .notIndexable, .indexOutOfRange,
      .cannotCombine, .cannotCompare, .divisionByZero, .overflow, .tooLarge, .dateOutOfRange,
      .tooLong, .tooManyElements, .nestedTooDeep, .contextsTooDeep, .wrongTarget, .unequal, .untrue,
      .refusedWhileReading, .storedWhileReading, .callbacksTooDeep, .endlessCallbacks, .interrupted,
      .stepLimit, .duringSave:
      nil
    }
  }

  /// The text that can replace the error's range: the nearest name; nil if there is none.
  var replacement: String? {
    switch self {
    case .unknown(let kind, _, let near, _): kind.replacement(near)
    case .duringSave(let cause, _): cause.replacement
    case .misused, .file, .controller, .contextExists, .notSaved, .mergesItself, .nestedExtension,
      .mergesIntoChild, .mergesChild, .objectElsewhere, .noBatch, .batchWithoutIDs,
      .batchReadsAttribute, .dictionaries, .limitedBatchUpdate, .malformed, .givenTwice, .wrongType,
      .abstractEntity, .notToMany, .transientTooDeep, .expressionTooDeep, .otherEntity,
      .misplacedPart, .wrongArguments, .noSuchObject, .deletedObject, .notAnObject, .notIndexable,
      .indexOutOfRange, .needed, .cannotCombine, .cannotCompare, .divisionByZero, .overflow,
      .tooLarge, .dateOutOfRange, .tooLong, .tooManyElements, .nestedTooDeep, .contextsTooDeep,
      .wrongTarget, .unequal, .untrue, .returnOutsideCallback, .refusedWhileReading,
      .storedWhileReading, .callbacksTooDeep, .endlessCallbacks, .interrupted, .stepLimit, .engine:
      nil
    }
  }

  /// The error without the statement during which it happened.
  var cause: ScriptError.Kind {
    if case .duringSave(let cause, _) = self { cause.cause } else { self }
  }
}
