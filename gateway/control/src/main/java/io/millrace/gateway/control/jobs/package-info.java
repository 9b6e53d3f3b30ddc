/** Jobs in the control API: submit, list, steer, follow. */
@NullMarked
package io.millrace.gateway.control.jobs;

import org.jspecify.annotations.NullMarked;
