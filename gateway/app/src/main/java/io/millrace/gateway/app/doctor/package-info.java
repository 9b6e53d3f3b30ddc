/** Checks of the machine and of the servers around a gateway, for {@code millrace doctor}. */
@NullMarked
package io.millrace.gateway.app.doctor;

import org.jspecify.annotations.NullMarked;
