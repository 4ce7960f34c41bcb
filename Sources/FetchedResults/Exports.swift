// What a client of the library needs of the targets below it.
@_exported public import ObjectModel
@_exported public import FetchPredicates
