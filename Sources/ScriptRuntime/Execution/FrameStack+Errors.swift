import FetchedResults
import ScriptSyntax

extension FrameStack {
  /// Returns an error in the running source.
  func failure(_ kind: ScriptError.Kind, _ range: Range<Int>) -> ScriptError {
    ScriptError(kind, range: range, source: source)
  }

  /// Returns the error for a value that is not an object.
  func notAnObject(_ found: String, _ range: Range<Int>) -> ScriptError {
    failure(.notAnObject(found: found, code: source.text(in: range)), range)
  }

  /// Runs a closure whose errors have no place, and adds the place to them.
  func placing<Result>(
    _ range: Range<Int>, _ body: () throws(ScriptError.Kind) -> Result
  ) throws(ScriptError) -> Result {
    do {
      return try body()
    } catch {
      throw failure(error, range)
    }
  }

  /// Fetches a request.
  ///
  /// If a part of the request's own predicate raised an error, the error gets the place of that
  /// part.
  func locating<Result>(
    _ request: RequestSyntax, _ body: () throws -> Result
  ) throws(ScriptError) -> Result {
    do {
      return try body()
    } catch {
      if Self.isCancellation(error) { throw failure(.interrupted, request.range) }
      let place = request.clauses.predicate.flatMap { Self.place(of: error, within: $0.range) }
      throw failure(.engine("\(error)"), place ?? request.range)
    }
  }

  /// Runs a part of the engine, and adds the place to its errors.
  func locating<Result>(
    _ range: Range<Int>, _ body: () throws -> Result
  ) throws(ScriptError) -> Result {
    do {
      return try body()
    } catch let error as ScriptError {
      throw error
    } catch {
      if Self.isCancellation(error) { throw failure(.interrupted, range) }
      throw failure(.engine("\(error)"), range)
    }
  }

  /// Whether a part of the engine stopped because of Ctrl-C.
  private static func isCancellation(_ error: any Error) -> Bool {
    if case .fetch(let inner)? = error as? FetchedResultsError { return inner == .cancelled }
    return error as? FetchError == .cancelled
  }

  /// Returns the place of the predicate part that raised an error; nil if none did.
  private static func place(of error: any Error, within range: Range<Int>) -> Range<Int>? {
    var fetch = error as? FetchError
    if case .fetch(let inner)? = error as? FetchedResultsError { fetch = inner }
    guard case .predicate(let predicate)? = fetch, let place = predicate.range, !place.isEmpty,
      range.contains(place.lowerBound), place.upperBound <= range.upperBound
    else { return nil }
    return place
  }
}
