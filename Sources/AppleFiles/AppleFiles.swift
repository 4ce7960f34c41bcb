/// Swift files for an app on an Apple system, which `frc swift` prints.
package enum AppleFiles {
  /// A test with random turns for Apple's NSFetchedResultsController and a list of the user's.
  package static var fuzzer: String { PackageResources.ListFuzzer_swift_txt }
}
