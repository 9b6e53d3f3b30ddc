/** State of the gateway, its disks, its backends and its traffic in the control API. */
@NullMarked
package io.millrace.gateway.control.status;

import org.jspecify.annotations.NullMarked;
