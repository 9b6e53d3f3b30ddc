/** Certificates and private keys in PEM files. */
@NullMarked
package io.millrace.kit.tls;

import org.jspecify.annotations.NullMarked;
