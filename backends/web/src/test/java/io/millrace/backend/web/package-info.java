@NullMarked
package io.millrace.backend.web;

import org.jspecify.annotations.NullMarked;
