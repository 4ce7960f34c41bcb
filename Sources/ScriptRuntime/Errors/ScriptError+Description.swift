import Basics
import FetchedResults
import PredicateSyntax
import ScriptSyntax

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
    case .notSaved(let name): "nothing was saved in '\(name)', so there is nothing to merge"
    case .nestedExtension: "an extension runs already; end its block first"
    case .historyIntoChild(let name):
      "'\(name)' reads from its parent and not from the store; merge the history into the parent"
    case .mergesItself(let name):
      "a context cannot be merged into itself; '\(name)' has its changes already"
    case .noBatch: "there was no batch request whose result could be merged"
    case .batchWithoutIDs(let type):
      "the batch request returned \(type); contexts merge object IDs, so leave 'returning' out"
    case .batchReadsAttribute(let name):
      "a batch update has no objects, so '\(name)' has no value; "
        + "write \(name) += …, or 'update' without 'batch'"
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
