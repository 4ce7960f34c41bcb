// What a client of the library needs of the targets below it.
@_exported public import FetchPredicates
@_exported public import ModelFiles
@_exported public import ObjectModel
