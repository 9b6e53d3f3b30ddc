/** Start without a settings file: generated keys and a sample bucket. */
@NullMarked
package io.millrace.gateway.app.firstrun;

import org.jspecify.annotations.NullMarked;
