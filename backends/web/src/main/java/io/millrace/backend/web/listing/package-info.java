/** Listings of a web server's objects: by its index pages, or by a manifest. */
@NullMarked
package io.millrace.backend.web.listing;

import org.jspecify.annotations.NullMarked;
