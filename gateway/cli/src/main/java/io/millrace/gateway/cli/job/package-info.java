/** Commands that submit, follow and steer jobs. */
@NullMarked
package io.millrace.gateway.cli.job;

import org.jspecify.annotations.NullMarked;
