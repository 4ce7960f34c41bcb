// The parts of the lower targets that a client of the library needs.
@_exported public import FetchPredicates
@_exported public import ModelFiles
@_exported public import ObjectModel
