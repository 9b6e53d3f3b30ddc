/** Credentials that are refused before they expire. */
@NullMarked
package io.millrace.auth.revocation;

import org.jspecify.annotations.NullMarked;
