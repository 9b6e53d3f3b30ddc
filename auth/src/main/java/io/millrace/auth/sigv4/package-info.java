/**
 * The arithmetic of AWS Signature Version 4: encoding, the canonical request, the signing key. It knows no request type
 * and no settings, decides nothing and fails at nothing; who may claim what is decided in {@code io.millrace.auth}.
 */
@NullMarked
package io.millrace.auth.sigv4;

import org.jspecify.annotations.NullMarked;
