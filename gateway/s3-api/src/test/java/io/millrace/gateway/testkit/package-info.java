/** The running gateway of tests, and its clients; other modules have them as this module's test-jar. */
@NullMarked
package io.millrace.gateway.testkit;

import org.jspecify.annotations.NullMarked;
