/// Ends the program because of a mistake in the code that calls the library.
///
/// `precondition` and `preconditionFailure` say nothing in a release build, where most mistakes
/// show themselves. This function writes the message in every build.
///
/// - Parameter message: What is wrong, with the names of the entity and the property if there are
///   any, and what to write instead.
@usableFromInline
@inline(never)
package func programmingError(
  _ message: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) -> Never {
  fatalError(message(), file: file, line: line)
}

/// Ends the program if a condition is false, as ``programmingError(_:file:line:)`` does.
@inlinable
@inline(__always)
package func require(
  _ condition: @autoclosure () -> Bool, _ message: @autoclosure () -> String,
  file: StaticString = #fileID, line: UInt = #line
) {
  guard condition() else { programmingError(message(), file: file, line: line) }
}
