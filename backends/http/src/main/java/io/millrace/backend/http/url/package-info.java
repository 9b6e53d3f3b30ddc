/** URLs that are parsed once, so that a connection goes exactly to what was checked. */
@NullMarked
package io.millrace.backend.http.url;

import org.jspecify.annotations.NullMarked;
