/** Requests that follow redirects, within the bounds that the operator sets. */
@NullMarked
package io.millrace.backend.http.redirect;

import org.jspecify.annotations.NullMarked;
