@NullMarked
package io.millrace.gateway.job.plan;

import org.jspecify.annotations.NullMarked;
