/** Identities in the operator's file and their key pairs. */
@NullMarked
package io.millrace.auth.identity;

import org.jspecify.annotations.NullMarked;
