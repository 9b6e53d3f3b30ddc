@NullMarked
package io.millrace.gateway.jobs.plan;

import org.jspecify.annotations.NullMarked;
