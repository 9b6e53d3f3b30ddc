/** Settings of web server backends. */
@NullMarked
package io.millrace.backend.web.settings;

import org.jspecify.annotations.NullMarked;
