/** Identities in the settings file and their key pairs. */
@NullMarked
package io.millrace.auth.identity;

import org.jspecify.annotations.NullMarked;
