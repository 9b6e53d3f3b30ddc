/** Listings of a repository's files at a commit. */
@NullMarked
package io.millrace.backend.hub.listing;

import org.jspecify.annotations.NullMarked;
