/**
 * Computations of AWS Signature Version 4: encoding, canonical request and signing key. The package depends on no
 * request type and no settings, and makes no decisions; {@code io.millrace.auth.signature} verifies claims.
 */
@NullMarked
package io.millrace.auth.sigv4;

import org.jspecify.annotations.NullMarked;
