/** What the machine gives to this process, whatever the settings say. */
@NullMarked
package io.millrace.config.machine;

import org.jspecify.annotations.NullMarked;
