/** What clients of S3 may rely on when they write through the gateway, case by case, over several backends. */
@NullMarked
package io.millrace.gateway.write;

import org.jspecify.annotations.NullMarked;
